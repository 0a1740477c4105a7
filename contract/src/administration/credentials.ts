import { Type, type Static } from 'typebox'
import { listQuery, resourceOperations, SelfLink } from '../resource.ts'
import {
  exactObject,
  Id,
  TimestampInput,
  Name,
  NewName,
  OptionalTimestamp,
  orNull,
  Timestamp,
} from '../scalars.ts'
import { example, exampleTimestamp } from './examples.ts'

const fields = {
  id: Type.String({ description: 'The access key ID' }),
  type: Type.Literal('aksk'),
  name: Type.String(),
  user_id: Type.String(),
  project_id: Type.String(),
  enabled: Type.Boolean(),
  blob: Type.String({
    description:
      'JSON text with `secret` and `expire`. `secret` is empty except in the response that creates the key.',
  }),
  expires_at: OptionalTimestamp,
  created_at: Timestamp,
  last_used_at: OptionalTimestamp,
  last_used_ip: Type.String(),
  links: SelfLink,
}

export const CredentialDto = exactObject(fields)
export type CredentialDto = Static<typeof CredentialDto>

/** The only response that contains the secret. */
export const NewCredentialDto = exactObject({
  ...fields,
  access_key: Type.String({
    description: 'Used together with `secret` to log in. The same as `id`.',
  }),
  secret: Type.String({ description: 'Shown only in this response' }),
})
export type NewCredentialDto = Static<typeof NewCredentialDto>

const exampleSecret = 'cms_0123456789abcdefghijklmnopqrstuvwxyzABCDEFG'

const view = {
  id: example.accessKey,
  type: 'aksk',
  name: 'backup job',
  user_id: example.userId,
  project_id: example.projectId,
  enabled: true,
  blob: '{"secret":"","expire":0}',
  expires_at: null,
  created_at: exampleTimestamp,
  last_used_at: exampleTimestamp,
  last_used_ip: '192.0.2.7',
  links: { self: example.self('credentials', example.accessKey) },
}

export const credentialOperations = resourceOperations({
  noun: 'Credential',
  nouns: 'Credentials',
  key: 'credential',
  keys: 'credentials',
  one: 'an access key',
  many: 'access keys',
  tag: 'Access keys',
  view: CredentialDto,
  made: NewCredentialDto,
  create: exactObject({
    type: Type.Enum(['aksk']),
    project_id: Id,
    name: Type.Optional(NewName),
    user_id: Type.Optional(Id),
    expires_at: Type.Optional(orNull(TimestampInput)),
    blob: Type.Optional(
      Type.Enum(['', '{}'], { description: 'For Keystone clients. Muster generates the content.' }),
    ),
  }),
  update: Type.Object(
    { name: Type.Optional(NewName), enabled: Type.Optional(Type.Boolean()) },
    { additionalProperties: false, minProperties: 1 },
  ),
  query: listQuery(['name', 'created_at', 'enabled'], {
    name: Type.Optional(Name),
    enabled: Type.Optional(Type.Boolean()),
    user_id: Type.Optional(Id),
    project_id: Type.Optional(Id),
    type: Type.Optional(Type.Enum(['aksk'])),
  }),
  at: { read: ['system', 'domain', 'self'], write: ['system', 'domain', 'self'] },
  notes: {
    create:
      'The user needs a role in the project. Programs log in with `access_key` and `secret`. The secret is shown only in this response. A token from an access key login cannot create access keys.',
    update:
      'You can change `name` and `enabled`. User, project and expiry are fixed. Disabling the key revokes all tokens that were issued with it. A token from an access key login can change only its own key.',
    delete:
      'Revokes all tokens that were issued with the key. A token from an access key login can delete only its own key.',
  },
  examples: {
    view,
    made: {
      ...view,
      last_used_at: null,
      last_used_ip: '',
      blob: JSON.stringify({ secret: exampleSecret, expire: 0 }),
      access_key: example.accessKey,
      secret: exampleSecret,
    },
    create: { type: 'aksk', project_id: example.projectId, name: 'backup job' },
    update: { enabled: false },
  },
})
