import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { Client } from 'ldapts'
import { freePort } from '../free-port.ts'
import { installSlapd, librariesOf } from './install.ts'

const fixture = (name: string) =>
  join(import.meta.dirname, '../../server/src/testing/fixtures', name)

export const base = 'dc=example,dc=org'
const root = { dn: `cn=root,${base}`, password: 'of the root' }
/** Who reads the directory. */
export const reader = { dn: `cn=reader,${base}`, password: 'of the reader' }

/** Milliseconds that slapd may need to start on a busy machine. */
const longestStart = 20_000

/** Only the reader, and each user for themselves, may read people; a password only binds. */
const configuration = (slapd: string, folder: string) => `
${['core', 'cosine', 'nis', 'inetorgperson'].map((name) => `include ${slapd}/etc/ldap/schema/${name}.schema`).join('\n')}
modulepath ${slapd}/usr/lib/ldap
moduleload back_mdb
moduleload memberof
moduleload ppolicy
pidfile ${folder}/slapd.pid
TLSCertificateFile ${fixture('test-only-issued.cert.pem')}
TLSCertificateKeyFile ${fixture('test-only.key.pem')}
sizelimit size.soft=10 size.hard=10 size.prtotal=unlimited
database mdb
suffix "${base}"
rootdn "${root.dn}"
rootpw "${root.password}"
directory ${folder}/data
maxsize 67108864
index entryUUID,uid,member,memberUid eq
overlay memberof
overlay ppolicy
ppolicy_default "cn=policy,${base}"
limits anonymous size=0
access to attrs=userPassword by anonymous auth
access to * by dn.exact="${reader.dn}" read by users read by anonymous auth
`

const entries = `
dn: ${base}
objectClass: dcObject
objectClass: organization
dc: example
o: Example

dn: ${reader.dn}
objectClass: organizationalRole
objectClass: simpleSecurityObject
cn: reader
userPassword: ${reader.password}

dn: cn=policy,${base}
objectClass: device
objectClass: pwdPolicy
cn: policy
pwdAttribute: userPassword
pwdLockout: TRUE
pwdMaxFailure: 8

dn: ou=people,${base}
objectClass: organizationalUnit
ou: people

dn: ou=groups,${base}
objectClass: organizationalUnit
ou: groups
`

/** Starts a real slapd of its own, with TLS, in a temporary folder. */
export async function startSlapd() {
  const slapd = installSlapd()
  const folder = mkdtempSync(join(tmpdir(), 'muster-slapd-'))
  mkdirSync(join(folder, 'data'))
  const file = join(folder, 'slapd.conf')
  writeFileSync(file, configuration(slapd, folder))
  const env = { ...process.env, LD_LIBRARY_PATH: librariesOf(slapd) }
  const program = join(slapd, 'usr/sbin/slapd')
  execFileSync(program, ['-Tadd', '-f', file], { env, input: entries, stdio: 'pipe' })
  const [port, tlsPort] = [await freePort(), await freePort()]
  const urls = { ldap: `ldap://localhost:${port}`, ldaps: `ldaps://localhost:${tlsPort}` }
  const server = spawn(program, ['-d', '0', '-f', file, '-h', `${urls.ldap} ${urls.ldaps}`], {
    env,
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let output = ''
  server.stderr.on('data', (chunk: Buffer) => (output = (output + chunk.toString()).slice(-8_000)))
  const exited = once(server, 'exit')
  const client = new Client({ url: urls.ldap })

  async function stop(): Promise<void> {
    await client.unbind().catch(() => {})
    server.kill()
    await exited
    rmSync(folder, { recursive: true, force: true })
  }
  async function awaitStart(): Promise<void> {
    const end = performance.now() + longestStart
    for (;;) {
      const isReady = await client.bind(root.dn, root.password).then(
        () => true,
        () => false,
      )
      if (isReady) return
      if (server.exitCode !== null || performance.now() > end) {
        throw new Error(`slapd did not start:\n${output}`)
      }
      await pause(50)
    }
  }
  await awaitStart().catch(async (error: unknown) => {
    await stop()
    throw error
  })
  return {
    ...urls,
    /** Bound as its administrator. */
    client,
    stop,
  }
}
export type TestSlapd = Awaited<ReturnType<typeof startSlapd>>
