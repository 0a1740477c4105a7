/** Where a session can be at. */
export type SessionScope = { readonly project_id: string } | { readonly domain_id: string }
