/** Smaller ones may share their memory. */
const smallest = 2 ** 18

/**
 * Frees the memory of a large buffer, which is empty afterwards. The garbage collector would wait until there are
 * 64 MB of them.
 */
export function freeBuffer({ buffer, byteOffset }: Buffer): void {
  const isOwn = byteOffset === 0 && buffer.byteLength >= smallest
  if (isOwn && buffer instanceof ArrayBuffer) buffer.transfer(0)
}
