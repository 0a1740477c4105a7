import { Type, type Static } from 'typebox'
import { performedActions } from '../policy-enums.ts'
import { exactObject, Id, orNull } from '../scalars.ts'

/** The actions on servers that a key can be restricted to: those that a policy tells apart. */
export const restrictableActions = [...performedActions, 'update', 'delete'] as const
export type RestrictableAction = (typeof restrictableActions)[number]

const mostItems = 64

const actions = {
  description:
    'The key reads, and changes nothing except with these actions on servers. `delete` includes the recycle bin. null: everything that the user may do.',
}
const projects = {
  description:
    'Ids. The key can log in to these projects, and only roles in them count. It must contain `project_id`. null: the key logs in to `project_id` only, with all roles that count there.',
}
const networks = {
  description:
    'Addresses and networks from which the key and its tokens are accepted, such as `192.0.2.0/24` or `2001:db8::/32`. null: any.',
}

/** What an access key may do at most. It never does more than its user. */
export const KeyRestriction = exactObject(
  {
    read_only: Type.Boolean({ description: 'Whether the key changes nothing' }),
    actions: orNull(Type.Array(Type.Enum([...restrictableActions]))),
    projects: orNull(Type.Array(Type.String())),
    networks: orNull(Type.Array(Type.String())),
  },
  { description: 'What the key may do at most. Absent parts restrict nothing.' },
)
export type KeyRestriction = Static<typeof KeyRestriction>

const given = { minItems: 1, maxItems: mostItems }

export const KeyRestrictionInput = exactObject({
  read_only: Type.Optional(
    Type.Boolean({ description: 'Whether the key changes nothing. It can still end its token.' }),
  ),
  actions: Type.Optional(
    orNull(Type.Array(Type.Enum([...restrictableActions]), { ...given, ...actions })),
  ),
  projects: Type.Optional(orNull(Type.Array(Id, { ...given, ...projects }))),
  networks: Type.Optional(
    orNull(Type.Array(Type.String({ minLength: 1, maxLength: 64 }), { ...given, ...networks })),
  ),
})
export type KeyRestrictionInput = Static<typeof KeyRestrictionInput>
