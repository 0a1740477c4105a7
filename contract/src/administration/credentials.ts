import { Type, type Static } from 'typebox'
import { administrationNames } from '../resources/names.ts'
import { changesObject, exactObject, Id, TimestampInput, NewName, orNull } from '../scalars.ts'
import { example, exampleTimestamp } from './examples.ts'
import { KeyRestriction, KeyRestrictionInput } from './key-restriction.ts'
import {
  boolean,
  enumeration,
  filterable,
  knownTimestamp,
  object,
  searchable,
  text,
  timestamp,
  wireProperties,
  wireSchema,
  computed,
  constant,
  type AdministeredResource,
} from '../resources/resource.ts'
import { resourceOperations, links } from './resource-operations.ts'

export const credentials = {
  ...administrationNames.credentials,
  visibility: {
    domain: { field: 'user_id', inDomain: 'users' },
    project: { project: 'project_id' },
    user: 'user_id',
    serviceAccount: 'user_id',
  },
  uniqueName: 'nowhere',
  fields: {
    id: text('The access key ID', searchable),
    type: constant({
      ...enumeration('Always `aksk`', filterable, 'aksk'),
      schema: Type.Literal('aksk'),
    }),
    name: text('Name. Equality ignores case and width.', searchable),
    user_id: text('Id of the user', filterable),
    project_id: text('Id of the project', filterable),
    enabled: boolean('Whether the key can be used', filterable, true),
    blob: computed(
      object(
        'JSON text with `secret` and `expire`. `secret` is empty except in the response that creates the key.',
        Type.String(),
        '',
      ),
    ),
    expires_at: timestamp('When the key expires', filterable),
    restriction: object(
      'What the key may do at most. null: all that the user may.',
      orNull(KeyRestriction),
      null,
    ),
    created_at: knownTimestamp('When the key was created', filterable),
    last_used_at: timestamp('When somebody last logged in with the key', filterable),
    last_used_ip: text('Address of the last login', searchable),
    links,
  },
} as const satisfies AdministeredResource

export const CredentialDto = wireSchema(credentials)
export type CredentialDto = Static<typeof CredentialDto>

/** The only response that contains the secret. */
export const NewCredentialDto = exactObject({
  ...wireProperties(credentials),
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
  restriction: null,
  created_at: exampleTimestamp,
  last_used_at: exampleTimestamp,
  last_used_ip: '192.0.2.7',
  links: { self: example.self('credentials', example.accessKey) },
}

export const credentialOperations = resourceOperations(credentials, {
  tag: 'Access keys',
  made: NewCredentialDto,
  create: exactObject({
    type: Type.Enum(['aksk']),
    project_id: Type.Optional({ ...Id, description: 'Default: the project of your token' }),
    name: Type.Optional(NewName),
    user_id: Type.Optional(Id),
    expires_at: Type.Optional(orNull(TimestampInput)),
    restriction: Type.Optional(orNull(KeyRestrictionInput)),
    blob: Type.Optional(
      Type.String({
        maxLength: 1024,
        description:
          'Empty, or JSON text with `secret` and `expire`, as Cloudpods’ client sends it. A secret of your own must be random: 32 to 128 printable ASCII characters. Default: Muster generates one.',
      }),
    ),
  }),
  update: changesObject({ name: Type.Optional(NewName), enabled: Type.Optional(Type.Boolean()) }),
  at: { read: ['system', 'domain', 'self'], write: ['system', 'domain', 'self'] },
  notes: {
    create:
      'The user needs a role in the project, and in those of the `restriction`. The owner of a service account makes its keys; an administrator needs all its permissions. Programs log in with `access_key` and `secret`. The secret is shown only in this response. A token from an access key login cannot create access keys.',
    update:
      'You can change `name` and `enabled`. User, project, expiry and restriction are fixed. Disabling the key revokes all tokens that were issued with it. A token from an access key login can change only its own key.',
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
