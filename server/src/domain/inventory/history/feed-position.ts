import { createCipheriv, createDecipheriv } from 'node:crypto'

/** After all changes of earlier commits, and after those of servers up to a number in this commit. */
export interface FeedPosition {
  readonly commit: number
  /** The number of the server. */
  readonly seq: number
}

/** After all changes of a commit. */
export const endOf = (commit: number): FeedPosition => ({ commit, seq: 2 ** 31 - 1 })

const algorithm = 'aes-128-ecb'

/**
 * Positions as clients get them. They are one encrypted block, because their numbers count what happens in other
 * scopes. The same position is always the same text, so one that differs tells that something was committed.
 */
export function createFeedPositions(key: Buffer) {
  return {
    write({ commit, seq }: FeedPosition): string {
      const block = Buffer.alloc(16)
      block.writeUIntBE(commit, 0, 6)
      block.writeUIntBE(seq, 6, 4)
      const cipher = createCipheriv(algorithm, key, null).setAutoPadding(false)
      return Buffer.concat([cipher.update(block), cipher.final()]).toString('base64url')
    },

    /** Undefined if this installation did not make the text. */
    read(text: string): FeedPosition | undefined {
      const encrypted = Buffer.from(text, 'base64url')
      if (encrypted.length !== 16) return undefined
      const decipher = createDecipheriv(algorithm, key, null).setAutoPadding(false)
      const block = Buffer.concat([decipher.update(encrypted), decipher.final()])
      if (block.readUIntBE(10, 6) !== 0) return undefined
      return { commit: block.readUIntBE(0, 6), seq: block.readUIntBE(6, 4) }
    },
  }
}
export type FeedPositions = ReturnType<typeof createFeedPositions>
