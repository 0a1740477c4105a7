import type { SourceKind } from '@muster/server/source-port'
import { checkSimulatorSettings, readSettings } from './simulator-settings.ts'

export const simulatorKind: SourceKind = {
  provider: 'Simulator',
  title: 'Simulator',
  description:
    'Emulated servers for demos and tests: nothing runs anywhere, and every one of them says is_emulated. They are of several clouds, and now and then one of them changes.',
  address: { isRequired: false, description: 'There is none', example: '' },
  credentials: [],
  options: [
    {
      name: 'servers',
      type: 'integer',
      isRequired: false,
      description: 'How many servers; 1000 without it',
    },
    {
      name: 'seed',
      type: 'integer',
      isRequired: false,
      description: 'Which fleet: the same number gives the same servers',
    },
    {
      name: 'cloud_account',
      type: 'text',
      isRequired: false,
      description:
        'Only the servers of this one simulated cloud account, such as aws-production; without it, of all',
    },
    {
      name: 'unreadable',
      type: 'integer',
      isRequired: false,
      description: 'How many servers, from the first on, cannot be read; 0 without it',
    },
    {
      name: 'tenants',
      type: 'list',
      isRequired: false,
      description:
        'Ids of the tenants that own the servers, in order; without it, a few made-up ones',
    },
  ],
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
