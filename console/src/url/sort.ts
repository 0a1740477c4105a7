/** The sort key and direction of a list. */
export interface Sort {
  readonly by: string
  readonly order: 'asc' | 'desc'
}
