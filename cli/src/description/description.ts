/** What the command line knows of the contract: plain data, which is loaded much faster than the schemas. */
export interface Description {
  readonly operations: Readonly<Record<string, OperationFacts>>
  readonly nouns: readonly NounFacts[]
}

/** As it is stored: operations share most of their parameters, so each is written once. */
export interface PackedDescription {
  readonly parameters: readonly Parameter[]
  readonly operations: Readonly<Record<string, OperationFacts<number>>>
  readonly nouns: readonly NounFacts[]
}

export type ParameterType = 'text' | 'number' | 'boolean' | 'object'

/** A query parameter, a field of a body, or a field of an answer. */
export interface Parameter {
  readonly name: string
  readonly type: ParameterType
  readonly isList?: true
  readonly isRequired?: true
  /** The values that are accepted, if they are known. */
  readonly values?: readonly string[]
  readonly description?: string
}

export interface OperationFacts<Field = Parameter> {
  readonly id: string
  readonly method: string
  readonly path: string
  readonly summary: string
  readonly description?: string
  /** `service resource action`, as policies name it. */
  readonly permission?: string
  readonly query: readonly Field[]
  readonly body?: {
    /** The key under which the fields are, as in `{"project": …}`. */
    readonly key?: string
    readonly fields: readonly Field[]
  }
  /** Absent: the answer has no body. */
  readonly answer?: {
    readonly kind: 'list' | 'item' | 'value' | 'text'
    /** The key under which the item or the items are. */
    readonly key?: string
    readonly fields: readonly Field[]
  }
}

/** A noun of the grammar, with the operation of each verb. */
export interface NounFacts {
  readonly word: string
  /** Other spellings: the key on the wire, and the words of Cloudpods' client. */
  readonly aliases: readonly string[]
  /** As in a sentence. */
  readonly one: string
  readonly many: string
  readonly verbs: Readonly<Record<string, string>>
  /** The columns of a table. */
  readonly columns: readonly string[]
  /** The columns with `--long`. */
  readonly longColumns: readonly string[]
}
