import { parseArgs } from 'node:util'
import { trustedClient } from './clients.ts'
import { startIncus } from './start.ts'
import { stopOnSignal } from '../stop-on-signal.ts'

/** A daemon with a few containers, for a person to try an account with. Ends with Ctrl-C. */
const { values } = parseArgs({ options: { lxd: { type: 'boolean', default: false } } })
const incus = await startIncus({ product: values.lxd ? 'lxd' : 'incus' })
const { name } = await incus.createBridge()
for (const server of ['web-1', 'web-2', 'db-1']) await incus.launch(server, '--network', name)
await incus.run('pause', 'web-2')
await incus.run('stop', '--force', 'db-1')
const { options } = await trustedClient(incus, 'muster')

process.stdout.write(`
Address:  ${incus.address}
By HTTPS: ${incus.tlsAddress}
          with client_certificate and client_key from ${incus.folder} (muster.crt, muster.key)
          and the fingerprint ${String(options['fingerprint'])}
By hand:  INCUS_DIR=${incus.folder}/data incus list (for LXD: LXD_DIR and lxc)

Muster connects to it only when started with --source-allow=127.0.0.1
Ctrl-C ends it, and nothing of it is left.
`)
// Nothing else keeps this process running.
setInterval(() => {}, 3_600_000)
stopOnSignal(() => incus.stop())
