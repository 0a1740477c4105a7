import type { SourceKind } from '@muster/server/source-port'
import { checkSimulatorSettings, readSettings } from './simulator-settings.ts'

export const simulatorKind: SourceKind = {
  provider: 'Simulator',
  title: 'Simulator',
  description:
    'Simulated servers for demos and tests, in several clouds. They change over time and have is_emulated set.',
  address: { isRequired: false, description: 'Not needed', example: '' },
  credentials: [],
  options: [
    {
      name: 'servers',
      type: 'integer',
      isRequired: false,
      description: 'Number of servers. Default: 1000',
    },
    {
      name: 'seed',
      type: 'integer',
      isRequired: false,
      description: 'Random seed. The same seed gives the same servers.',
    },
    {
      name: 'cloud_account',
      type: 'text',
      isRequired: false,
      description: 'Only servers of this simulated account, such as aws-production. Empty: all.',
    },
    {
      name: 'unreadable',
      type: 'integer',
      isRequired: false,
      description: 'Number of unreadable servers. Default: 0',
    },
    {
      name: 'tenants',
      type: 'list',
      isRequired: false,
      description: 'Ids of the tenants that own the servers, in order. Empty: made-up tenants.',
    },
  ],
  rights: [],
  period: 30,
  // No requests are sent.
  requestsPerSecond: 1_000,
  hasEvents: true,
  check: checkSimulatorSettings,
  hostOf: () => undefined,
  async open(settings, { clock }) {
    // Loaded only for accounts of this kind: its catalogues take memory and time.
    const { openSimulator } = await import('./open-simulator.ts')
    return openSimulator(readSettings(settings), clock)
  },
}
