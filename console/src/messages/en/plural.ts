/** A formatted number and what it counts, in singular or plural. */
export const plural = (shown: string, one: string, many: string): string =>
  `${shown} ${shown === '1' ? one : many}`
