import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'

const at = (path: string) => new URL(`../${path}`, import.meta.url).href

/** The files that create the demo and write it. A change of code that only reads must not cause a new load. */
const writers = [
  'contract/src/resources/servers.ts',
  'server/src/composition/attach-demo-accounts.ts',
  'simulator/src/demo/start-demo.ts',
  'server/src/domain/inventory/record-servers.ts',
  'server/src/domain/sources/record-scan.ts',
  'simulator/src/open-simulator.ts',
  'server/src/storage/migrations/migrate.ts',
  'server/src/storage/servers/server-writer.ts',
].map(at)

/** Imports of values; types have no effect at run time. */
const imports = /^(?:import|export) (?!type )[^'"]*from '(\.[^']+)'/gm

/** A digest that changes when the code would load another fleet. */
export function fingerprintFleet(): string {
  const texts = new Map<string, string>()
  const waiting = [...writers]
  for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
    if (texts.has(file)) continue
    const text = readFileSync(new URL(file), 'utf8')
    texts.set(file, text)
    const base = file
    waiting.push(...[...text.matchAll(imports)].map(([, path = '']) => new URL(path, base).href))
  }
  const digest = createHash('sha256').update(readFileSync(new URL(at('bench/fleet-keys.ts'))))
  for (const file of [...texts.keys()].toSorted()) digest.update(texts.get(file) ?? '').update('\0')
  return digest.digest('hex').slice(0, 12)
}
