/** Keeps secrets that have to be read again later, such as the secret of an access key. */
export interface Sealer {
  /** The context says what the text belongs to, for instance a row: nothing else can open it. */
  seal(text: string, context: string): string
  /** Throws for a text that was changed, moved to another context or sealed with another key. */
  unseal(sealed: string, context: string): string
}

/** What the secret of an access key is sealed to: its own row, and no other owner or project. */
export const sealingContext = (accessKey: string, userId: string, projectId: string): string =>
  ['credentials', accessKey, userId, projectId].join('/')
