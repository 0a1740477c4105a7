/** Not a result code of SQLite's: a required statement touched no row. */
export const unmet = -1
