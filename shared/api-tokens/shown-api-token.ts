import * as v from 'valibot'

/** An API token as it is shown by the answer that creates it (A13). */
export const ShownApiToken = v.object({
  id: v.string(),
  actor_id: v.string(),
  name: v.nullable(v.string()),
  scopes: v.array(v.string()),
  expires_at: v.string(),
  last_seen_at: v.nullable(v.string()),
  inserted_at: v.string(),
  updated_at: v.string(),
  token: v.string(),
})
