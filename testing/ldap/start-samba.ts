import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { Client } from 'ldapts'
import { testAuthority } from '../../server/src/testing/secure-server.ts'
import { installSamba } from './install.ts'

const fixture = (name: string) =>
  join(import.meta.dirname, '../../server/src/testing/fixtures', name)

/** Milliseconds that the making of a domain may take on a busy machine. */
const longestStart = 240_000

export const base = 'dc=example,dc=org'
const administrator = { name: 'Administrator@example.org', password: 'of the Administr4tor' }

/** Samba finds its files by paths that were compiled in, so they are mounted, for its process only. */
const script = `
set -e
mount -t overlay overlay -o "lowerdir=$1/usr:/usr" /usr
mount -t tmpfs tmpfs /run
mkdir -p /run/samba
cd "$2"
export LD_LIBRARY_PATH=$(echo /usr/lib/*/samba)
tool() { /usr/bin/python3 -I /usr/bin/samba-tool "$@"; }
lo="--option=interfaces=lo"
bound="--option=bind interfaces only=yes"
tool domain provision --realm=EXAMPLE.ORG --domain=EXAMPLE --adminpass="$3" --server-role=dc \
  --dns-backend=NONE --targetdir="$2" "$lo" "$bound"
at="-H $2/private/sam.ldb -s $2/etc/smb.conf"
tool domain passwordsettings set --complexity=off --min-pwd-length=4 $at
for name in ada grace disabled reader 'o(dd)' '张三'; do
  tool user create "$name" "secret of $name" --use-username-as-cn $at
done
tool user disable disabled $at
tool group add staff $at
tool group add everybody $at
tool group addmembers staff ada,grace $at
tool group addmembers everybody staff $at
exec /usr/sbin/samba -i -M single -s "$2/etc/smb.conf" "$lo" "$bound" --option="server services=ldap" \
  --option="tls certfile=$2/cert.pem" --option="tls keyfile=$2/key.pem" --option="tls cafile="
`

/**
 * Starts a domain controller of Active Directory of its own in a temporary folder, on the ports 389 and 636
 * of this machine. Needs the rights to mount.
 */
export async function startSamba() {
  const samba = installSamba()
  const folder = mkdtempSync(join(tmpdir(), 'muster-samba-'))
  copyFileSync(fixture('test-only-issued.cert.pem'), join(folder, 'cert.pem'))
  copyFileSync(fixture('test-only.key.pem'), join(folder, 'key.pem'))
  chmodSync(join(folder, 'key.pem'), 0o600)
  const server = spawn(
    'unshare',
    ['--mount', 'bash', '-c', script, 'bash', samba, folder, administrator.password],
    // A group of its own, because the script starts other programs first.
    { detached: true, stdio: ['ignore', 'pipe', 'pipe'] },
  )
  let output = ''
  for (const stream of [server.stdout, server.stderr]) {
    stream.on('data', (chunk: Buffer) => (output = (output + chunk.toString()).slice(-8_000)))
  }
  const exited = once(server, 'exit')
  const client = new Client({ url: 'ldaps://localhost', tlsOptions: { ca: testAuthority } })

  async function stop(): Promise<void> {
    await client.unbind().catch(() => {})
    if (server.exitCode === null && server.pid !== undefined) process.kill(-server.pid, 'SIGKILL')
    await exited
    rmSync(folder, { recursive: true, force: true })
  }
  async function awaitStart(): Promise<void> {
    const end = performance.now() + longestStart
    for (;;) {
      const isReady = await client.bind(administrator.name, administrator.password).then(
        () => true,
        () => false,
      )
      if (isReady) return
      if (server.exitCode !== null || performance.now() > end) {
        throw new Error(`Samba did not start:\n${output}`)
      }
      await pause(500)
    }
  }
  await awaitStart().catch(async (error: unknown) => {
    await stop()
    throw error
  })
  return {
    /** Bound as its administrator. */
    client,
    stop,
  }
}
export type TestSamba = Awaited<ReturnType<typeof startSamba>>
