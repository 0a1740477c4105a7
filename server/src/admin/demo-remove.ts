import { removeDemo } from '../composition/remove-demo.ts'
import { ConfigError } from '../config/parsers.ts'
import { createAdminEvent } from './admin-event.ts'
import { databaseCommand } from './database-command.ts'
import { readArguments } from './read-arguments.ts'

export const demoRemove = databaseCommand({
  name: 'demo remove',
  summary:
    'Remove the demo: its servers, accounts and domains, with the users and projects in them.',
  usage: '',
  examples: ['demo remove   use the database without the demo'],

  parse(args) {
    readArguments(args, {})
  },

  isInput: (input): input is void => input === undefined,

  async execute(_, { config, database, clock, print }) {
    if (config.demo)
      throw new ConfigError(
        '--demo is set: start the server without it, and name its data with --data-dir',
      )
    const event = createAdminEvent(clock, {
      action: 'delete',
      targetType: 'demo',
      targetId: '',
      targetName: '',
      scope: { kind: 'system' },
    })
    const { servers } = await removeDemo(database, event)
    print(
      `Removed the demo of ${servers.toLocaleString('en-US')} servers with its accounts and domains.`,
    )
    return 0
  },
})
