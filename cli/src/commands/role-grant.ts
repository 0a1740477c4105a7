import type { Command, Run } from '../grammar/command.ts'
import type { Flag } from '../grammar/flag.ts'
import { UsageError } from '../usage-error.ts'
import { findId } from './find-item.ts'

const flag = (name: string, help: string): Flag => ({
  name,
  kind: 'value',
  placeholder: 'ID|NAME',
  help,
})

const flags: readonly Flag[] = [
  flag('user', 'The user who gets or loses the role.'),
  flag('group', 'The group that gets or loses the role.'),
  flag('project', 'In this project.'),
  flag('domain', 'In this domain.'),
  { name: 'system', kind: 'boolean', help: 'In the entire system.' },
]

const exactlyOne = (names: readonly string[], given: readonly string[]): string => {
  const [only] = given
  if (only !== undefined && given.length === 1) return only
  throw new UsageError(`Give one of ${names.map((name) => `--${name}`).join(', ')}.`)
}

async function idOf(run: Run, word: string, given: string): Promise<string> {
  const noun = run.description.nouns.find((each) => each.word === word)
  return noun ? await findId(run, noun, given) : given
}

const capital = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1)

async function change(run: Run, verb: 'grant' | 'revoke'): Promise<number> {
  const { args, output } = run
  const [role, ...others] = args.positionals
  if (role === undefined || others.length > 0) throw new UsageError('Give one role.')
  const holders = ['user', 'group']
  const holder = exactlyOne(
    holders,
    holders.filter((name) => args.text(name) !== undefined),
  )
  const places = ['project', 'domain', 'system']
  const place = exactlyOne(
    places,
    places.filter((name) => args.text(name) !== undefined && args.text(name) !== 'false'),
  )
  const isSystem = place === 'system'
  const parameters = {
    role_id: await idOf(run, 'role', role),
    [`${holder}_id`]: await idOf(run, holder, args.text(holder) ?? ''),
    ...(!isSystem && { id: await idOf(run, place, args.text(place) ?? '') }),
  }
  const { client } = await run.connect()
  await client.request(`${verb}${capital(place)}${capital(holder)}Role`, { parameters })
  const done = verb === 'grant' ? 'granted to' : 'revoked from'
  output.note(`${role}: ${done} ${holder} ${args.text(holder) ?? ''}.`)
  return 0
}

const command = (verb: 'grant' | 'revoke', summary: string): Command => ({
  words: ['role', verb],
  summary,
  usage: 'ROLE',
  examples: [
    `role ${verb} project_viewer --user ada --project web`,
    `role ${verb} domain_admin --group operators --domain Acme`,
    `role ${verb} auditor --user ada --system`,
  ],
  flags,
  completes: 'role',
  run: (run) => change(run, verb),
})

export const roleGrant = command('grant', 'Grant a role to a user or a group.')
export const roleRevoke = command('revoke', 'Revoke a role from a user or a group.')
