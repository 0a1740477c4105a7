import { X509Certificate } from 'node:crypto'
import { parseArgs } from 'node:util'
import { openVcsimClient } from './vcsim-client.ts'
import { startVcsim } from './start.ts'
import { stopOnSignal } from '../stop-on-signal.ts'

/** vcsim with a few virtual machines, for a person to try an account of vSphere with. Ends with Ctrl-C. */
const { values } = parseArgs({
  options: {
    port: { type: 'string', default: '8989' },
    vms: { type: 'string', default: '4' },
    esx: { type: 'boolean', default: false },
  },
})
const vcsim = await startVcsim({
  listen: `127.0.0.1:${values.port}`,
  vms: Number(values.vms),
  esx: values.esx,
  pools: 1,
  folders: 1,
})
const client = await openVcsimClient(vcsim)
if (!values.esx) {
  for (const name of ['web-1', 'Datenbank für Büro', '日志']) await client.create(name)
  await client.stop(await client.create('batch'))
}

const { username, password } = vcsim.settings.credentials
process.stdout
  .write(`vcsim, a simulator of vSphere, has ${(await client.list('VirtualMachine')).length} virtual machines.

  address      ${vcsim.url}
  username     ${username}
  password     ${password}
  fingerprint  ${new X509Certificate(vcsim.certificate).fingerprint256}

Muster speaks to it only when started with --source-allow=127.0.0.1
`)
stopOnSignal(() => vcsim.stop())
