import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const cache = join(import.meta.dirname, '../../node_modules/.cache')
const realm = join(import.meta.dirname, 'acme.json')
const version = '26.4.0'
const address = `https://repo1.maven.org/maven2/org/keycloak/keycloak-quarkus-dist/${version}/keycloak-quarkus-dist-${version}.tar.gz`
const digest = '9fe5f9213ecf83f24b53b27409f3e0f20e10edce36aaa0828778a57c80f07a87'

/** The archive of 160 MB, downloaded once. */
async function download(): Promise<string> {
  const archive = join(cache, `keycloak-${version}.tar.gz`)
  if (existsSync(archive)) return archive
  const bytes = await (await fetch(address)).bytes()
  if (createHash('sha256').update(bytes).digest('hex') !== digest) {
    throw new Error(`${address} has another content than expected`)
  }
  mkdirSync(cache, { recursive: true })
  writeFileSync(`${archive}-${process.pid}`, bytes)
  renameSync(`${archive}-${process.pid}`, archive)
  return archive
}

/** Unpacks Keycloak and prepares it for a database in memory, once. Needs Java 17. Returns its folder. */
export async function installKeycloak(): Promise<string> {
  const hash = createHash('sha256').update(version).update(readFileSync(realm)).digest('hex')
  const folder = join(cache, `keycloak-${hash.slice(0, 16)}`)
  if (existsSync(folder)) return folder
  const archive = await download()
  // Renamed when it is complete: another test may install it at the same time.
  const building = `${folder}-${process.pid}`
  mkdirSync(building)
  execFileSync('tar', ['-xzf', archive, '--strip-components=1', '-C', building])
  cpSync(realm, join(building, 'data/import/acme.json'))
  execFileSync(join(building, 'bin/kc.sh'), ['build', '--db=dev-mem'], { stdio: 'ignore' })
  renameSync(building, folder)
  return folder
}
