import type {
  DomainDto,
  GroupDto,
  OperationId,
  PolicyDto,
  ProjectDto,
  RoleDto,
  UserDto,
} from '@muster/contract'

/** The entities of identity, by the name of their collection. */
export interface Entities {
  projects: ProjectDto
  users: UserDto
  groups: GroupDto
  roles: RoleDto
  policies: PolicyDto
  domains: DomainDto
}
export type Kind = keyof Entities
export type AnyEntity = Entities[Kind]

interface Operations {
  /** As on the wire: `{"user": …}`. */
  readonly key: string
  readonly list: OperationId
  readonly get: OperationId
  readonly create: OperationId
  readonly update: OperationId
  readonly delete: OperationId
  /** For kinds whose deletion deletes other entities too. */
  readonly impact?: OperationId
}

/** The operations on each kind of entity. */
export const kindOperations: Readonly<Record<Kind, Operations>> = {
  projects: {
    key: 'project',
    list: 'listProjects',
    get: 'getProject',
    create: 'createProject',
    update: 'updateProject',
    delete: 'deleteProject',
    impact: 'getProjectImpact',
  },
  users: {
    key: 'user',
    list: 'listUsers',
    get: 'getUser',
    create: 'createUser',
    update: 'updateUser',
    delete: 'deleteUser',
    impact: 'getUserImpact',
  },
  groups: {
    key: 'group',
    list: 'listGroups',
    get: 'getGroup',
    create: 'createGroup',
    update: 'updateGroup',
    delete: 'deleteGroup',
  },
  roles: {
    key: 'role',
    list: 'listRoles',
    get: 'getRole',
    create: 'createRole',
    update: 'updateRole',
    delete: 'deleteRole',
  },
  policies: {
    key: 'policy',
    list: 'listPolicies',
    get: 'getPolicy',
    create: 'createPolicy',
    update: 'updatePolicy',
    delete: 'deletePolicy',
  },
  domains: {
    key: 'domain',
    list: 'listDomains',
    get: 'getDomain',
    create: 'createDomain',
    update: 'updateDomain',
    delete: 'deleteDomain',
    impact: 'getDomainImpact',
  },
}

/** In the order of the tabs. */
export const kinds = Object.keys(kindOperations) as readonly Kind[]

export const isKind = (word: string | undefined): word is Kind =>
  word !== undefined && Object.hasOwn(kindOperations, word)
