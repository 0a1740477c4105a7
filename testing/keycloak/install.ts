import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
} from 'node:fs'
import { join } from 'node:path'

const cache = join(import.meta.dirname, '../../node_modules/.cache')
const realm = join(import.meta.dirname, 'acme.json')
const version = '26.4.0'
const artifact = `org.keycloak:keycloak-quarkus-dist:${version}:tar.gz`
const copyGoal = 'org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy'
const digest = '9fe5f9213ecf83f24b53b27409f3e0f20e10edce36aaa0828778a57c80f07a87'

/** The archive of 160 MB, downloaded once, by Maven: it knows from where this machine gets artifacts. */
function download(): string {
  const archive = join(cache, `keycloak-${version}.tar.gz`)
  if (existsSync(archive)) return archive
  mkdirSync(cache, { recursive: true })
  const folder = mkdtempSync(join(cache, 'keycloak-download-'))
  const options = [`-Dartifact=${artifact}`, `-DoutputDirectory=${folder}`]
  try {
    execFileSync('mvn', ['--batch-mode', '--quiet', copyGoal, ...options], { stdio: 'pipe' })
    const found = join(folder, `keycloak-quarkus-dist-${version}.tar.gz`)
    if (createHash('sha256').update(readFileSync(found)).digest('hex') !== digest) {
      throw new Error(`${artifact} has another content than expected`)
    }
    renameSync(found, archive)
  } finally {
    rmSync(folder, { recursive: true })
  }
  return archive
}

/** Unpacks Keycloak and prepares it for a database in memory, once. Needs Java 17 and Maven. Returns its folder. */
export function installKeycloak(): string {
  const hash = createHash('sha256').update(version).update(readFileSync(realm)).digest('hex')
  const folder = join(cache, `keycloak-${hash.slice(0, 16)}`)
  if (existsSync(folder)) return folder
  const archive = download()
  // Renamed when it is complete: another test may install it at the same time.
  const building = `${folder}-${process.pid}`
  mkdirSync(building)
  execFileSync('tar', ['-xzf', archive, '--strip-components=1', '-C', building])
  cpSync(realm, join(building, 'data/import/acme.json'))
  execFileSync(join(building, 'bin/kc.sh'), ['build', '--db=dev-mem'], { stdio: 'ignore' })
  renameSync(building, folder)
  return folder
}
