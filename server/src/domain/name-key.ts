/** Folds case and width. Down, up and down again folds what once leaves apart (ẞ, ß and SS). */
export const foldName = (name: string): string =>
  name.normalize('NFKC').toLowerCase().toUpperCase().toLowerCase().normalize('NFKC')

/**
 * Names are unique by this key: however a name is spelled (width, case, blanks around it), it is
 * one account.
 */
export const nameKey = (name: string): string => foldName(name).trim()
