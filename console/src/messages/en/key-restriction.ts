import type { RestrictableAction } from '@muster/contract'

export const keyRestriction = {
  restriction: 'Restriction',
  unrestricted: 'none',
  extent: 'The key can',
  extents: {
    all: 'Do all that its user may',
    read_only: 'Read only',
    actions: 'Read, and perform some actions on servers',
  },
  keyActions: {
    start: 'start',
    stop: 'stop',
    restart: 'restart',
    reset: 'reset',
    suspend: 'suspend',
    resume: 'resume',
    'change-config': 'resize',
    syncstatus: 'sync',
    update: 'edit and tag',
    delete: 'delete, restore and remove',
  } satisfies Record<RestrictableAction, string>,
  oneProject: 'Roles elsewhere do not count',
  networks: 'Accepted from',
  networksHint:
    'Addresses or networks, separated by blanks, such as 192.0.2.0/24. Empty: anywhere.',
  onlyActions: (actions: string) => `Only: ${actions}`,
  onlyProjects: (projects: string) => `Projects: ${projects}`,
  onlyFrom: (networks: string) => `From ${networks}`,
}
