/** Where a session can be at. */
export type Place = { readonly project_id: string } | { readonly domain_id: string }
