import type { SourceKind } from '@muster/server/source-port'
import { checkSimulatorSettings, readSettings } from './simulator-settings.ts'

export const simulatorKind: SourceKind = {
  provider: 'Simulator',
  title: 'Simulator',
  description: 'Simulated servers for demos and tests, in several clouds. They change over time.',
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
    {
      name: 'action_delay',
      type: 'integer',
      isRequired: false,
      description: 'Milliseconds until a server shows the result of an action. Default: 2000',
    },
    {
      name: 'action_failures',
      type: 'integer',
      isRequired: false,
      description: 'Percentage of actions that fail. Default: 0',
    },
    {
      name: 'action_hangs',
      type: 'integer',
      isRequired: false,
      description: 'Percentage of actions without a response; half of them take effect. Default: 0',
    },
  ],
  rights: [],
  period: 30,
  // No requests are sent.
  requestsPerSecond: 1_000,
  hasEvents: true,
  check: checkSimulatorSettings,
  hostOf: () => undefined,
  acting: {
    actions: [
      'start',
      'stop',
      'restart',
      'reset',
      'suspend',
      'resume',
      'change-config',
      'update',
      'delete',
    ],
    restarts: true,
    resize: { fields: ['vcpu_count', 'vmem_size', 'instance_type'], isLive: true },
    updates: ['name', 'shutdown_behavior', 'boot_order', 'disable_delete'],
    deletes: { disks: true, snapshots: true },
    rights: [],
    async open(settings, context) {
      const { openActor } = await import('./open-actor.ts')
      return openActor(readSettings(settings), context)
    },
  },
  async open(settings, context) {
    // Loaded only for accounts of this kind: its catalogues take memory and time.
    const { openSimulator } = await import('./open-simulator.ts')
    return openSimulator(readSettings(settings), context)
  },
}
