import { listLoginRules } from '../storage/identity/login-rules.ts'
import { databaseCommand } from './database-command.ts'
import { readArguments } from './read-arguments.ts'

/** The maximum number of names in a line. */
const mostNames = 10

export const loginRules = databaseCommand({
  name: 'login-rules',
  summary: 'Show who can log in with a password of Muster, for each domain.',
  usage: '',
  examples: ['login-rules   before allow-passwords'],

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
    }
    return 0
  },
})
