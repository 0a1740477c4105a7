/** By what a list is ordered, and which way. */
export interface Sort {
  readonly by: string
  readonly order: 'asc' | 'desc'
}
