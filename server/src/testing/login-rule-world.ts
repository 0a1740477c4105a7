import type { LoginRulesDto, LoginRulesRequest } from '@muster/contract'
import { createPasswordHasher } from '../vault/password-hasher.ts'
import { ask, requestToken, secretOf, tokenIdentity } from './client.ts'
import { createTestDatabase, type Engine } from './engines.ts'
import { createKeyHolders } from './identity-world/access-key-holders.ts'
import { createIdentityWorld } from './identity-world/create-identity-world.ts'
import { testPasswordCost } from './password-cost.ts'
import { temporaryFolder, type Lifetime } from './spawn-muster.ts'
import { adminPassword, startPlatform, type TestPlatform } from './start-platform.ts'

export const userPassword = 'unploughed headland'
/** The addresses of clients, which a trusted proxy reports. */
export const office = '198.51.100.7'
export const elsewhere = '203.0.113.9'
export const officeNetwork = '198.51.100.0/24'

const flags = ['--trusted-proxies=127.0.0.1', '--token-ttl=24h', '--session-idle=8h']

/** A Muster behind a proxy, with a clock, whose domain has a rule about logins. */
export async function startLoginRuleWorld(lifetime: Lifetime, engine: Engine) {
  const start = Date.now()
  const time = { now: start }
  const installation = {
    folder: temporaryFolder(lifetime),
    databaseUrl: engine === 'postgres' ? await createTestDatabase('migrated') : undefined,
  }
  /** A node. Two at once need PostgreSQL. */
  const startNode = () =>
    startPlatform({ engine, flags, clock: () => time.now, beside: installation })
  const first = await startNode()
  let running = first
  lifetime.after(() => running.close())
  const identities = createIdentityWorld(first.database)
  const passwordHash = await createPasswordHasher(testPasswordCost).hash(userPassword)
  const domain = await identities.addDomain('acme')
  const project = await identities.addProject('web', domain)

  const from = (ip: string) => ({ 'x-forwarded-for': ip })
  const passwordOf = (id: string, password = userPassword) => ({
    methods: ['password'],
    password: { user: { id, password } },
  })
  const logIn = (identity: object, ip = office, { url }: Pick<TestPlatform, 'url'> = first) =>
    requestToken(url, { identity, scope: { project: { id: project } } }, from(ip))
  const use = async (token: string, ip = office, { url }: Pick<TestPlatform, 'url'> = first) =>
    (await ask(url, '/v3/auth/projects', { token, headers: from(ip) })).status

  async function addUser(name: string, fields: object = {}, role = 'project_owner') {
    const id = await identities.addUser({ name, domainId: domain, passwordHash })
    await identities.assign({ role, userId: id, projectId: project })
    if (Object.keys(fields).length > 0) {
      await identities.change(
        first.database.db.updateTable('users').set(fields).where('id', '=', id).compile(),
      )
    }
    return id
  }

  const { id: adminId } = await first.database.db
    .selectFrom('users')
    .select('id')
    .where('name', '=', 'sysadmin')
    .executeTakeFirstOrThrow()
  const admin = secretOf(
    await requestToken(first.url, {
      identity: passwordOf(adminId, adminPassword),
      scope: { project: { name: 'system', domain: { id: 'default' } } },
    }),
  )

  const setRules = (
    login_rules: LoginRulesRequest,
    { token = admin, ip = office, of = domain } = {},
  ) =>
    ask<{ login_rules: LoginRulesDto }>(first.url, `/v3/domains/${of}/login_rules`, {
      method: 'POST',
      token,
      headers: from(ip),
      body: { login_rules },
    })

  return {
    first,
    start,
    time,
    startNode,

    /** The first node does not run any more then. */
    async restart(): Promise<TestPlatform> {
      await running.close()
      running = await startNode()
      return running
    },

    identities,
    domain,
    project,
    admin,
    adminId,
    from,
    passwordOf,
    logIn,
    use,
    addUser,
    setRules,
    tokenIdentity,
    keys: createKeyHolders(first, () => time.now),
  }
}
export type LoginRuleWorld = Awaited<ReturnType<typeof startLoginRuleWorld>>
