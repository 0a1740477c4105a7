/** Encrypts secrets that have to be read again later, such as the secret of an access key. */
export interface SecretBox {
  /** The context says what the text belongs to, for instance a row: it decrypts in no other context. */
  encrypt(text: string, context: string): string
  /** Throws for a text that was changed, moved to another context or encrypted with another key. */
  decrypt(encrypted: string, context: string): string
}
