/** The scope of a session. */
export type SessionScope = { readonly project_id: string } | { readonly domain_id: string }
