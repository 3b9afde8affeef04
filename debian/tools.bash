# SPDX-License-Identifier: GPL-2.0
# Completes the options of dtrace's ready tools, which each tool tells itself.
_dtrace_tools() {
	local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]}
	case $prev in
	-p) mapfile -t COMPREPLY < <(compgen -W "$(ps -eo pid= 2>/dev/null)" -- "$cur"); return ;;
	-o) mapfile -t COMPREPLY < <(compgen -f -- "$cur"); return ;;
	-c) mapfile -t COMPREPLY < <(compgen -c -- "$cur"); return ;;
	esac
	[[ $cur == -* ]] || return 0
	mapfile -t COMPREPLY < <(compgen -W "$("$1" -h 2>/dev/null | sed -n 's/^ *\(-[A-Za-z]\).*/\1/p')" -- "$cur")
}
complete -F _dtrace_tools "${1##*/}"
