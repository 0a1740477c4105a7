import { parseArgs } from 'node:util'
import { createFleet } from './fleet.ts'
import { startMoto } from './start.ts'
import { stopOnSignal } from '../stop-on-signal.ts'

/** moto with a few instances, for a person to try an account of AWS with. Ends with Ctrl-C. */
const { values } = parseArgs({ options: { port: { type: 'string', default: '5566' } } })
const moto = await startMoto(Number(values.port))
const fleet = createFleet(moto)
for (const region of ['eu-west-1', 'us-east-1']) {
  for (const name of ['web-1', 'web-2', 'Datenbank für Büro', '日志'])
    await fleet.run({ region, name })
  await fleet.run({ region, name: 'training', type: 'g4dn.xlarge' })
  const [batch = ''] = await fleet.run({ region, name: 'batch', type: 'c5.4xlarge' })
  await fleet.change('stop_instances', batch, region)
}

process.stdout.write(`moto, an emulator of EC2, has instances in eu-west-1 and us-east-1.

  address            ${moto.url}
  access_key_id      ${moto.key.access_key_id}
  secret_access_key  ${moto.key.secret_access_key}

Muster speaks to it only when started with --source-allow=127.0.0.1
`)
stopOnSignal(() => moto.stop())
