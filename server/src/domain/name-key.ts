/**
 * Folds case and width. Lower, upper and lower case again also folds ẞ, ß and SS, which one conversion leaves
 * distinct.
 */
export const foldName = (name: string): string =>
  name.normalize('NFKC').toLowerCase().toUpperCase().toLowerCase().normalize('NFKC')

/**
 * Names are unique by this key: however a name is spelled (width, case, blanks around it), it is
 * one account.
 */
export const nameKey = (name: string): string => foldName(name).trim()
