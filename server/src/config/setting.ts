export interface Setting<Value> {
  /** Absent for a secret: flags are visible in the list of processes. */
  readonly flag?: string
  readonly variable: string
  /** It can also be given as the path of a file that contains it, and is never printed. */
  readonly isSecret?: true
  /** Placeholder of the value. Absent for a boolean. */
  readonly value?: string
  readonly help: string
  readonly parse: (text: string) => Value
  /** Default value, as an operator would write it. Absent: the setting is optional. */
  readonly fallback?: string
}

export const setting = <Value>(definition: Setting<Value> & { readonly fallback: string }) =>
  definition
export const optional = <Value>(definition: Setting<Value>): Setting<Value | undefined> =>
  definition
