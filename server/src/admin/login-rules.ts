import { listLoginRules } from '../storage/identity/login-rules.ts'
import { databaseCommand } from './database-command.ts'
import { readArguments } from './read-arguments.ts'

/** The maximum number of names in a line. */
const mostNames = 10

export const loginRules = databaseCommand({
  name: 'login-rules',
  summary: 'Show the rules of each domain that prevent logins.',
  usage: '',
  examples: ['login-rules   before lift-rule'],

  parse(args) {
    readArguments(args, {})
  },

  isInput: (input): input is void => input === undefined,

  async execute(_, { database, print }) {
    for (const rules of await listLoginRules(database)) {
      const { name, localPasswords, since, breakGlassUsers, otherPasswords } = rules
      const who =
        localPasswords === 'on'
          ? 'all users with a password'
          : `break-glass users only, since ${new Date(since ?? 0).toISOString()}`
      const names = breakGlassUsers.slice(0, mostNames).join(', ')
      const more = breakGlassUsers.length > mostNames ? ', …' : ''
      print(`${name}: ${who}`)
      print(`  break-glass users: ${names === '' ? 'none' : names + more}`)
      print(`  other users with a password: ${otherPasswords}`)
      const { networks, ...times } = rules.loginRules
      for (const [name, seconds] of Object.entries(times)) {
        if (seconds !== null) print(`  ${name}: ${seconds} s`)
      }
      if (networks.length > 0) print(`  networks: ${networks.join(' ')}`)
    }
    return 0
  },
})
