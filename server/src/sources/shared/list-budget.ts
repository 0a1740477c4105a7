import { SourceError } from '../../domain/sources/source-error.ts'

const mebibyte = 2 ** 20
/** The limit of lists that are held in memory together. A hostile source may send lists without end. */
const defaultBytes = 18 * mebibyte
/**
 * How many bytes may be read for each byte that is held. Responses become garbage, which V8 collects late.
 */
const readForEachHeld = 2.5
const maxSharedTexts = 20_000
const wide = /[^\p{ASCII}]/u

/**
 * Limits the memory of what servers refer to, such as volumes and networks. Servers themselves are never held
 * together. Lists that are read at the same time share a budget.
 */
export class ListBudget {
  #left: number
  #unread: number
  readonly #max: number
  readonly #cut = new Set<string>()
  readonly #shared = new Map<string, string>()

  constructor(bytes = defaultBytes) {
    this.#max = bytes
    this.#left = bytes
    this.#unread = bytes * readForEachHeld
  }

  /** False if no further response of a list may be read after one of so many bytes. */
  mayContinue(bytes: number, what: string): boolean {
    this.#unread -= bytes
    if (this.#unread < 0) this.#cut.add(what)
    return this.#unread >= 0
  }

  /** The same text object for equal texts, such as the id of a network that many ports have. */
  share(text: string): string {
    const known = this.#shared.get(text)
    if (known !== undefined) return known
    if (this.#shared.size < maxSharedTexts) {
      this.#left -= this.#memoryOf(text)
      this.#shared.set(text, text)
    }
    return text
  }

  /** False if there is no room left for the next item of a list. */
  take(item: unknown, what: string): boolean {
    const bytes = this.#memoryOf(item)
    if (bytes > this.#left) {
      this.#cut.add(what)
      return false
    }
    this.#left -= bytes
    return true
  }

  /** About as many bytes as a value takes in memory. */
  #memoryOf(value: unknown): number {
    if (typeof value === 'string') {
      if (this.#shared.has(value)) return 0
      return 24 + (wide.test(value) ? 2 : 1) * value.length
    }
    if (typeof value !== 'object' || value === null) return 0
    let bytes = 64
    if (value instanceof Map) {
      for (const [key, inner] of value) bytes += 48 + this.#memoryOf(key) + this.#memoryOf(inner)
    } else {
      for (const key in value)
        bytes += 8 + this.#memoryOf((value as Readonly<Record<string, unknown>>)[key])
    }
    return bytes
  }

  /** Why details of servers are missing, if this list was cut. */
  errorOf(what: string): SourceError | undefined {
    if (!this.#cut.has(what)) return undefined
    const size = Math.round(this.#max / mebibyte)
    return new SourceError(
      'incomplete',
      `The list of ${what} is too long: what Muster keeps of it and of others takes more than ${size} MB. The rest was not read, so details of servers may be missing.`,
    )
  }

  /** The errors of all lists that were cut. */
  errors(): SourceError[] {
    return [...this.#cut].flatMap((what) => this.errorOf(what) ?? [])
  }
}
