import type { Sighting } from '../inventory/ports.ts'
import { IdTable } from './id-table.ts'
import type { KnownSightings } from './ports.ts'

const initialCapacity = 1_024
/** The length of a digest of facts. Other digests are rare. */
const digestLength = 27

const isPlain = ({ digest, missed, missingSince, activeName, activeHost }: Sighting): boolean =>
  digest.length === digestLength &&
  missed === 0 &&
  missingSince === 0 &&
  activeName === '' &&
  activeHost === ''

/**
 * The sightings of an account in about 60 bytes each, because a scan needs all of them: a million
 * objects in a `Map` take 400 MB, which the garbage collector visits again and again. The few that say
 * more than a digest and a project are objects. Ids of servers must be UUIDs, as `derivedId` makes them.
 */
export class SightingTable implements KnownSightings {
  readonly #ids = new IdTable()
  readonly #projects: string[] = []
  readonly #projectNumbers = new Map<string, number>()
  readonly #others = new Map<number, Sighting>()
  #digests = Buffer.alloc(initialCapacity * digestLength)
  #project = new Uint32Array(initialCapacity)

  get size(): number {
    return this.#ids.size
  }

  set(sighting: Sighting): void {
    const number = this.#ids.add(sighting.serverId)
    this.#others.delete(number)
    if (!isPlain(sighting)) {
      this.#others.set(number, sighting)
      return
    }
    if (number >= this.#project.length) this.#grow(number)
    this.#digests.write(sighting.digest, number * digestLength, 'latin1')
    this.#project[number] = this.#numberOfProject(sighting.projectId)
  }

  get(id: string): Sighting | undefined {
    const number = this.#ids.numberOf(id)
    return number === undefined ? undefined : this.#sightingOf(number, id)
  }

  has(id: string): boolean {
    return this.#ids.has(id)
  }

  *keys(): Generator<string> {
    for (let number = 0; number < this.#ids.size; number += 1) yield this.#ids.idOf(number)
  }

  *values(): Generator<Sighting> {
    for (let number = 0; number < this.#ids.size; number += 1) {
      yield this.#sightingOf(number, this.#ids.idOf(number))
    }
  }

  #sightingOf(number: number, serverId: string): Sighting {
    const at = number * digestLength
    return (
      this.#others.get(number) ?? {
        serverId,
        digest: this.#digests.toString('latin1', at, at + digestLength),
        projectId: this.#projects[this.#project[number] as number] as string,
        missed: 0,
        missingSince: 0,
        activeName: '',
        activeHost: '',
      }
    )
  }

  #numberOfProject(id: string): number {
    let number = this.#projectNumbers.get(id)
    if (number === undefined) {
      number = this.#projects.push(id) - 1
      this.#projectNumbers.set(id, number)
    }
    return number
  }

  #grow(number: number): void {
    const capacity = Math.max(this.#project.length * 2, number + 1)
    const digests = Buffer.alloc(capacity * digestLength)
    digests.set(this.#digests)
    this.#digests = digests
    const project = new Uint32Array(capacity)
    project.set(this.#project)
    this.#project = project
  }
}
