import type { Kysely } from 'kysely'
import { accessKeyContext } from '../domain/identity/access-key/mint-access-key.ts'
import type { Statement } from './database.ts'
import { providerSecretsContext } from '../domain/identity/providers/decrypt-options.ts'
import { totpContext } from '../domain/identity/factors/totp.ts'
import { demoPasswordsContext, findDemoPasswords, storeDemoPasswords } from './demo-passwords.ts'
import { credentialsContext } from './sources/account-store.ts'
import type { Tables } from './tables.ts'

/** A value that is encrypted with the secret key. */
export interface EncryptedValue {
  /** For messages, such as `access key abc`. */
  readonly title: string
  readonly value: string
  readonly context: string
  /** The statement that replaces the value, unless it has changed meanwhile. */
  readonly replaceWith: (value: string) => Statement
}

/** Every value in the database that is encrypted with the secret key. */
export async function listEncryptedValues(db: Kysely<Tables>): Promise<EncryptedValue[]> {
  const keys = await db
    .selectFrom('access_keys')
    .select(['id', 'user_id', 'project_id', 'secret'])
    .execute()
  const accounts = await db
    .selectFrom('cloudaccounts')
    .select(['id', 'name', 'credentials'])
    .execute()
  const providers = await db
    .selectFrom('identity_providers')
    .select(['id', 'name', 'secrets'])
    .where('secrets', 'is not', null)
    .$narrowType<{ secrets: string }>()
    .execute()
  const factors = await db.selectFrom('factors').select(['id', 'user_id', 'secret']).execute()
  const demoPasswords = await findDemoPasswords(db)
  return [
    ...(demoPasswords === undefined
      ? []
      : [
          {
            title: 'passwords of the demo',
            value: demoPasswords,
            context: demoPasswordsContext,
            replaceWith: (value: string) => storeDemoPasswords(db, value),
          },
        ]),
    ...keys.map(({ id, user_id, project_id, secret }) => ({
      title: `access key ${id}`,
      value: secret,
      context: accessKeyContext(id, user_id, project_id),
      replaceWith: (value: string) =>
        db
          .updateTable('access_keys')
          .set({ secret: value })
          .where('id', '=', id)
          .where('secret', '=', secret)
          .compile(),
    })),
    ...factors.map(({ id, user_id, secret }) => ({
      title: `second factor ${id}`,
      value: secret,
      context: totpContext(id, user_id),
      replaceWith: (value: string) =>
        db
          .updateTable('factors')
          .set({ secret: value })
          .where('id', '=', id)
          .where('secret', '=', secret)
          .compile(),
    })),
    ...accounts.map(({ id, name, credentials }) => ({
      title: `credentials of account ${name}`,
      value: credentials,
      context: credentialsContext(id),
      replaceWith: (value: string) =>
        db
          .updateTable('cloudaccounts')
          .set({ credentials: value })
          .where('id', '=', id)
          .where('credentials', '=', credentials)
          .compile(),
    })),
    ...providers.map(({ id, name, secrets }) => ({
      title: `secrets of identity provider ${name}`,
      value: secrets,
      context: providerSecretsContext(id),
      replaceWith: (value: string) =>
        db
          .updateTable('identity_providers')
          .set({ secrets: value })
          .where('id', '=', id)
          .where('secrets', '=', secrets)
          .compile(),
    })),
  ]
}
