/**
 * Names are unique by this key: however a name is spelled (width, case, blanks around it), it is
 * one account. Down, up and down again folds what once leaves apart (ẞ, ß and SS).
 */
export const nameKey = (name: string): string =>
  name.normalize('NFKC').toLowerCase().toUpperCase().toLowerCase().normalize('NFKC').trim()
