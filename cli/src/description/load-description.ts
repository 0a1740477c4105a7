import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Description, PackedDescription } from './description.ts'
import { unpackDescription } from './pack-description.ts'

const sources = ['../../../contract/src', '.'].map((path) =>
  fileURLToPath(new URL(path, import.meta.url)),
)
const cache = fileURLToPath(new URL('../../../node_modules/.cache/muster', import.meta.url))

/** Changes with the files that the description is derived from. */
function versionOfSources(): string {
  const hash = createHash('sha256')
  for (const folder of sources) {
    for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
      if (!name.endsWith('.ts')) continue
      const { mtimeMs, size } = statSync(`${folder}/${name}`)
      hash.update(`${name} ${mtimeMs} ${size}\n`)
    }
  }
  return hash.digest('hex').slice(0, 16)
}

/**
 * Reads the description of the contract from a cache, because loading the contract takes longer than most
 * commands. The packaged build replaces this file: its description is a part of the package.
 */
export async function loadDescription(): Promise<Description> {
  const file = `${cache}/contract-${versionOfSources()}.json`
  try {
    return unpackDescription(JSON.parse(readFileSync(file, 'utf8')) as PackedDescription)
  } catch {
    // Not written yet.
  }
  const { describeContract } = await import('./describe-contract.ts')
  const { packDescription } = await import('./pack-description.ts')
  const packed = packDescription(describeContract())
  try {
    mkdirSync(cache, { recursive: true })
    const draft = `${file}.${process.pid}`
    writeFileSync(draft, JSON.stringify(packed))
    renameSync(draft, file)
  } catch {
    // The folder may be read-only, and everything works without the cache.
  }
  return unpackDescription(packed)
}
