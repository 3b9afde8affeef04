// SPDX-License-Identifier: GPL-2.0
//! Tags of complaints: DTrace's own names, one row each. Only tags that this compiler gives.

/// Calls a macro with every tag: `(Variant, "D_TAG", "meaning")`.
#[macro_export]
macro_rules! for_each_tag {
    ($m:ident) => {
        $m! {
            (Unknown, "D_UNKNOWN", "something that has no tag of its own, or is not supported yet"),
            (Syntax, "D_SYNTAX", "the text does not have the form of a D program"),
            (Empty, "D_EMPTY", "there is nothing to compile"),
            (TypeErr, "D_TYPE_ERR", "there is no type of this name"),
            (PdescZero, "D_PDESC_ZERO", "a probe description matches no probe"),
            (PdescInval, "D_PDESC_INVAL", "a probe description is malformed"),
            (PredScalar, "D_PRED_SCALAR", "a predicate is neither a number nor a pointer"),
            (FuncIdent, "D_FUNC_IDENT", "what is called is not a name"),
            (FuncUndef, "D_FUNC_UNDEF", "there is no function of this name"),
            (FuncIdkind, "D_FUNC_IDKIND", "what is called is not a function"),
            (TypeMember, "D_TYPE_MEMBER", "the struct or union has no such member"),
            (SizeofBitfield, "D_SIZEOF_BITFIELD", "a bit field has no size in bytes"),
            (SizeofType, "D_SIZEOF_TYPE", "this has no size"),
            (StringofType, "D_STRINGOF_TYPE", "this cannot be read as a string"),
            (OpInt, "D_OP_INT", "the operand must be an integer"),
            (OpScalar, "D_OP_SCALAR", "the operand must be a number or a pointer"),
            (OpArith, "D_OP_ARITH", "the operand must be a number"),
            (OpWrite, "D_OP_WRITE", "the operand cannot be written"),
            (OpLval, "D_OP_LVAL", "the operand must be a variable or memory"),
            (OpIncompat, "D_OP_INCOMPAT", "the operands' types do not go together"),
            (OpPtr, "D_OP_PTR", "the operand must be a pointer"),
            (OpAct, "D_OP_ACT", "an action cannot be an operand"),
            (OpIncomplete, "D_OP_INCOMPLETE", "of the struct or union only the name is known"),
            (OpSou, "D_OP_SOU", "the operand must be a struct or union"),
            (AggRedef, "D_AGG_REDEF", "one aggregation is given two functions"),
            (AggFunc, "D_AGG_FUNC", "an aggregation is assigned something else than an aggregating function"),
            (AggMdim, "D_AGG_MDIM", "an aggregation has two key lists"),
            (AggNull, "D_AGG_NULL", "the statement has no effect"),
            (AggScalar, "D_AGG_SCALAR", "an aggregating function is given something that is not a number"),
            (ArrBadref, "D_ARR_BADREF", "an index is applied to what is not an array"),
            (ArrLocal, "D_ARR_LOCAL", "a clause-local variable cannot be an associative array"),
            (DivZero, "D_DIV_ZERO", "a constant is divided by zero"),
            (DerefNonptr, "D_DEREF_NONPTR", "what is not a pointer is dereferenced"),
            (DerefFunc, "D_DEREF_FUNC", "a pointer to a function is dereferenced"),
            (DerefVoid, "D_DEREF_VOID", "a pointer to void is dereferenced"),
            (AddrofLval, "D_ADDROF_LVAL", "what has no address is given to &"),
            (AddrofBitfield, "D_ADDROF_BITFIELD", "a bit field has no address"),
            (AddrofVar, "D_ADDROF_VAR", "a D variable has no address"),
            (CastInval, "D_CAST_INVAL", "no value can be converted so"),
            (PragErr, "D_PRAGERR", "#error in the text"),
            (PragctlInval, "D_PRAGCTL_INVAL", "a control line is malformed"),
            (PragmaInval, "D_PRAGMA_INVAL", "there is no pragma of this name"),
            (PragmaMalform, "D_PRAGMA_MALFORM", "the pragma's arguments are malformed"),
            (PragmaOptset, "D_PRAGMA_OPTSET", "an option cannot be set so"),
            (MacroUndef, "D_MACRO_UNDEF", "there is no macro variable of this name, or no such argument"),
            (MacroOflow, "D_MACRO_OFLOW", "the number in a macro variable is too big"),
            (MacroUnused, "D_MACRO_UNUSED", "an argument of the script is not used"),
            (IntOflow, "D_INT_OFLOW", "an integer needs more than 64 bits"),
            (IntDigit, "D_INT_DIGIT", "a digit does not belong to the number's base"),
            (StrNl, "D_STR_NL", "a string is not closed on its line"),
            (ChrNl, "D_CHR_NL", "a character is not closed on its line"),
            (ChrNull, "D_CHR_NULL", "a character constant is empty"),
            (ChrOflow, "D_CHR_OFLOW", "a character constant has more than eight bytes"),
            (IdentBadref, "D_IDENT_BADREF", "the name means something of another kind"),
            (IdentUndef, "D_IDENT_UNDEF", "there is no variable of this name"),
            (SymNotypes, "D_SYM_NOTYPES", "a kernel symbol's type is not known"),
            (VarUndef, "D_VAR_UNDEF", "the variable has not been assigned yet"),
            (VarUnsup, "D_VAR_UNSUP", "the variable is not supported here"),
            (ProtoLen, "D_PROTO_LEN", "a function is given too few or too many arguments"),
            (ProtoArg, "D_PROTO_ARG", "an argument has the wrong type"),
            (ArgsIdx, "D_ARGS_IDX", "args[N]: the probe passes fewer arguments"),
            (ArgsType, "D_ARGS_TYPE", "args[N]: the type is not known, or the value cannot be read"),
            (ArgsMulti, "D_ARGS_MULTI", "args[N]: too many probes with different types"),
            (ArgsNone, "D_ARGS_NONE", "args[]: there is no probe to ask"),
            (KeyType, "D_KEY_TYPE", "a key has the wrong type or the list another length"),
            (PrintfDynProto, "D_PRINTF_DYN_PROTO", "`*` has no argument"),
            (PrintfDynType, "D_PRINTF_DYN_TYPE", "the argument of `*` is not an integer"),
            (PrintfAggConv, "D_PRINTF_AGG_CONV", "`%@` stands where there is no aggregation"),
            (PrintfArgProto, "D_PRINTF_ARG_PROTO", "a conversion has no argument"),
            (PrintfArgType, "D_PRINTF_ARG_TYPE", "an argument does not fit its conversion"),
            (PrintfArgExtra, "D_PRINTF_ARG_EXTRA", "there are more arguments than conversions"),
            (PrintfArgFmt, "D_PRINTF_ARG_FMT", "the format is not a string constant, or is malformed"),
            (PrintfFmtEmpty, "D_PRINTF_FMT_EMPTY", "the format is empty"),
            (PrintaProto, "D_PRINTA_PROTO", "printa has the wrong arguments"),
            (PrintaAggarg, "D_PRINTA_AGGARG", "an argument of printa is not an aggregation"),
            (PrintaAggbad, "D_PRINTA_AGGBAD", "printa is given an aggregation that does not exist"),
            (PrintaAggkey, "D_PRINTA_AGGKEY", "the aggregations of printa have different keys"),
            (TraceVoid, "D_TRACE_VOID", "there is no value to trace"),
            (TraceDyn, "D_TRACE_DYN", "the size of the value is not known, or too large"),
            (TraceAgg, "D_TRACE_AGG", "an aggregation cannot be traced"),
            (TracememAddr, "D_TRACEMEM_ADDR", "tracemem needs an address"),
            (TracememSize, "D_TRACEMEM_SIZE", "tracemem needs a constant size"),
            (TracememArgs, "D_TRACEMEM_ARGS", "tracemem has the wrong number of arguments"),
            (StackProto, "D_STACK_PROTO", "stack has the wrong arguments"),
            (StackSize, "D_STACK_SIZE", "stack: how many frames is not known, or too many"),
            (UstackProto, "D_USTACK_PROTO", "ustack has the wrong arguments"),
            (UstackFrames, "D_USTACK_FRAMES", "ustack: how many frames is not known, or too many"),
            (UstackStrsize, "D_USTACK_STRSIZE", "ustack: the size of the text is not known, or too large"),
            (LquantBasetype, "D_LQUANT_BASETYPE", "lquantize: the base is not an integer constant"),
            (LquantBaseval, "D_LQUANT_BASEVAL", "lquantize: the base needs more than 32 bits"),
            (LquantLimtype, "D_LQUANT_LIMTYPE", "lquantize: the limit is not an integer constant"),
            (LquantLimval, "D_LQUANT_LIMVAL", "lquantize: the limit needs more than 32 bits"),
            (LquantMismatch, "D_LQUANT_MISMATCH", "lquantize: the limit is not above the base"),
            (LquantSteptype, "D_LQUANT_STEPTYPE", "lquantize: the step is not an integer constant"),
            (LquantStepval, "D_LQUANT_STEPVAL", "lquantize: the step is not positive"),
            (LquantSteplarge, "D_LQUANT_STEPLARGE", "lquantize: the step is wider than the range or needs more than 16 bits"),
            (LquantStepsmall, "D_LQUANT_STEPSMALL", "lquantize: the step gives too many levels"),
            (LquantMatchbase, "D_LQUANT_MATCHBASE", "lquantize: the base differs from an earlier use"),
            (LquantMatchlim, "D_LQUANT_MATCHLIM", "lquantize: the limit differs from an earlier use"),
            (LquantMatchstep, "D_LQUANT_MATCHSTEP", "lquantize: the step differs from an earlier use"),
            (LlquantFactortype, "D_LLQUANT_FACTORTYPE", "llquantize: the factor is not an integer constant"),
            (LlquantFactorval, "D_LLQUANT_FACTORVAL", "llquantize: the factor needs more than 16 bits"),
            (LlquantFactormatch, "D_LLQUANT_FACTORMATCH", "llquantize: the factor differs from an earlier use"),
            (LlquantLowtype, "D_LLQUANT_LOWTYPE", "llquantize: the low magnitude is not an integer constant"),
            (LlquantLowval, "D_LLQUANT_LOWVAL", "llquantize: the low magnitude needs more than 16 bits"),
            (LlquantLowmatch, "D_LLQUANT_LOWMATCH", "llquantize: the low magnitude differs from an earlier use"),
            (LlquantHightype, "D_LLQUANT_HIGHTYPE", "llquantize: the high magnitude is not an integer constant"),
            (LlquantHighval, "D_LLQUANT_HIGHVAL", "llquantize: the high magnitude needs more than 16 bits"),
            (LlquantHighmatch, "D_LLQUANT_HIGHMATCH", "llquantize: the high magnitude differs from an earlier use"),
            (LlquantNsteptype, "D_LLQUANT_NSTEPTYPE", "llquantize: the number of steps is not an integer constant"),
            (LlquantNstepval, "D_LLQUANT_NSTEPVAL", "llquantize: the number of steps needs more than 16 bits"),
            (LlquantNstepmatch, "D_LLQUANT_NSTEPMATCH", "llquantize: the number of steps differs from an earlier use"),
            (LlquantMagrange, "D_LLQUANT_MAGRANGE", "llquantize: the high magnitude is below the low one"),
            (LlquantFactornsteps, "D_LLQUANT_FACTORNSTEPS", "llquantize: the factor is above the number of steps"),
            (LlquantFactoreven, "D_LLQUANT_FACTOREVEN", "llquantize: the steps do not divide the powers of the factor evenly"),
            (LlquantFactorsmall, "D_LLQUANT_FACTORSMALL", "llquantize: the factor is less than two"),
            (LlquantMagtoobig, "D_LLQUANT_MAGTOOBIG", "llquantize: a power of the factor does not fit into 64 bits"),
            (ClearProto, "D_CLEAR_PROTO", "clear has the wrong arguments"),
            (ClearAggarg, "D_CLEAR_AGGARG", "the argument of clear is not an aggregation"),
            (ClearAggbad, "D_CLEAR_AGGBAD", "clear is given an aggregation that does not exist"),
            (NormalizeProto, "D_NORMALIZE_PROTO", "normalize or denormalize has the wrong arguments"),
            (NormalizeScalar, "D_NORMALIZE_SCALAR", "normalize needs a number"),
            (NormalizeAggarg, "D_NORMALIZE_AGGARG", "the argument of normalize is not an aggregation"),
            (NormalizeAggbad, "D_NORMALIZE_AGGBAD", "normalize is given an aggregation that does not exist"),
            (TruncProto, "D_TRUNC_PROTO", "trunc has the wrong arguments"),
            (TruncScalar, "D_TRUNC_SCALAR", "trunc needs a number"),
            (TruncAggarg, "D_TRUNC_AGGARG", "the argument of trunc is not an aggregation"),
            (TruncAggbad, "D_TRUNC_AGGBAD", "trunc is given an aggregation that does not exist"),
            (DeclCharattr, "D_DECL_CHARATTR", "char cannot be short or long"),
            (DeclVoidattr, "D_DECL_VOIDATTR", "void cannot be signed, short or long"),
            (DeclSignint, "D_DECL_SIGNINT", "only integers are signed or unsigned"),
            (DeclLongint, "D_DECL_LONGINT", "this cannot be short or long"),
            (DeclIdent, "D_DECL_IDENT", "a declaration has no type"),
            (DeclClass, "D_DECL_CLASS", "a declaration has two storage classes"),
            (DeclBadclass, "D_DECL_BADCLASS", "D does not have this storage class"),
            (DeclCombo, "D_DECL_COMBO", "two types in one declaration"),
            (DeclIdred, "D_DECL_IDRED", "the name is already taken, or has another type"),
            (DeclTypered, "D_DECL_TYPERED", "the type already exists"),
            (DeclIncomplete, "D_DECL_INCOMPLETE", "an object has a type that cannot be had here"),
            (DeclVoidobj, "D_DECL_VOIDOBJ", "a variable cannot be void"),
            (DeclMname, "D_DECL_MNAME", "a member has no name"),
            (DeclArrsub, "D_DECL_ARRSUB", "an array's size is not an integer constant"),
            (DeclArrnull, "D_DECL_ARRNULL", "an array has no size"),
            (DeclArrbig, "D_DECL_ARRBIG", "an array is too large"),
            (DeclBfconst, "D_DECL_BFCONST", "a bit field's size is not an integer constant"),
            (DeclBfsize, "D_DECL_BFSIZE", "a bit field is larger than its type"),
            (DeclBftype, "D_DECL_BFTYPE", "a bit field is no integer"),
            (DeclEnconst, "D_DECL_ENCONST", "the value of an enumeration's constant is not an integer constant"),
            (DeclEnoflow, "D_DECL_ENOFLOW", "the value of an enumeration's constant is no int"),
            (DeclUseless, "D_DECL_USELESS", "the declaration declares nothing"),
            (IdOflow, "D_ID_OFLOW", "too many variables"),
            (NoReg, "D_NOREG", "the expression needs more registers than there are"),
        }
    };
}

macro_rules! define_tags {
    ($(($variant:ident, $name:literal, $meaning:literal)),* $(,)?) => {
        /// What kind of complaint.
        #[allow(missing_docs, reason = "the meaning stands in the table")]
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum Tag { $($variant),* }
        impl Tag {
            /// Every tag.
            pub const ALL: &[Tag] = &[$(Tag::$variant),*];
            /// The name, `D_SYNTAX`.
            pub const fn name(self) -> &'static str {
                match self { $(Tag::$variant => $name),* }
            }
            /// What it means, in one line.
            pub const fn meaning(self) -> &'static str {
                match self { $(Tag::$variant => $meaning),* }
            }
            /// The tag of this name.
            pub fn from_name(name: &str) -> Option<Tag> {
                Self::ALL.iter().copied().find(|t| t.name() == name)
            }
        }
    };
}
for_each_tag!(define_tags);
