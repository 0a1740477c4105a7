/** Ids and timestamps that the examples of the API reference share. */
export const exampleTimestamp = '2026-05-04T08:00:00.000000Z'

export const example = {
  domainId: '6f1e2d3c4b5a49788695a4b3c2d1e0f9',
  projectId: '0a1b2c3d4e5f40718293a4b5c6d7e8f9',
  userId: '5f0c1d2e3b4a49588776655443322110',
  groupId: '2b7e151628aed2a6abf7158809cf4f3c',
  roleId: '99990000aaaabbbbccccddddeeeeffff',
  policyId: '3c4fcf098815f7aba6d2ae2816157e2b',
  accessKey: 'd1e0f96f1e2d3c4b5a49788695a4b3c2',
  providerId: '8f9a0b1c2d3e4f5061728394a5b6c7d8',
  self: (collection: string, id: string) => `http://127.0.0.1:8400/v3/${collection}/${id}`,
}

/** A list with one item. */
export const listExample = (key: string, path: string, item: unknown) => ({
  [key]: [item],
  links: { self: `http://127.0.0.1:8400${path}`, next: null, previous: null },
  limit: 1,
  offset: 0,
  total: 1,
})
