import type { KeyRestriction, KeyRestrictionInput, RestrictableAction } from '@muster/contract'
import type { AllMessages } from '../../messages/en/later.ts'

/** What a key may do: all that its user may, nothing but reading, or reading and some actions. */
export const keyExtents = ['all', 'read_only', 'actions'] as const
export type KeyExtent = (typeof keyExtents)[number]

/** The fields of the form. */
export interface RestrictionDraft {
  readonly extent: KeyExtent
  readonly actions: readonly RestrictableAction[]
  /** Only roles in the project of the key count. */
  readonly isOneProject: boolean
  /** Separated by blanks or commas. */
  readonly networks: string
}

export const noRestriction: RestrictionDraft = {
  extent: 'all',
  actions: [],
  isOneProject: false,
  networks: '',
}

/** The restriction of a new key for this project; undefined without any. */
export function toRestriction(
  { extent, actions, isOneProject, networks }: RestrictionDraft,
  projectId: string,
): KeyRestrictionInput | undefined {
  const listed = networks.split(/[\s,]+/).filter((text) => text !== '')
  const restriction = {
    ...(extent === 'read_only' && { read_only: true }),
    ...(extent === 'actions' && { actions: [...actions] }),
    ...(isOneProject && { projects: [projectId] }),
    ...(listed.length > 0 && { networks: listed }),
  }
  return Object.keys(restriction).length === 0 ? undefined : restriction
}

/** The restriction in words, one for each part. */
export function describeRestriction(
  restriction: KeyRestriction | null,
  t: Pick<AllMessages, 'keyRestriction'>,
  nameOf: (projectId: string) => string,
): string[] {
  const { read_only = false, actions, projects, networks } = restriction ?? {}
  return [
    ...(read_only ? [t.keyRestriction.extents.read_only] : []),
    ...(actions
      ? [
          t.keyRestriction.onlyActions(
            actions.map((action) => t.keyRestriction.keyActions[action]).join(', '),
          ),
        ]
      : []),
    ...(projects ? [t.keyRestriction.onlyProjects(projects.map(nameOf).join(', '))] : []),
    ...(networks ? [t.keyRestriction.onlyFrom(networks.join(', '))] : []),
  ]
}
