/** Author of a change (L5). Every key is always present. */
export type Subject = {
  actor_id: string | null
  actor_name: string | null
  actor_type: string | null
  actor_email: string | null
  auth_provider_id: string | null
  device_id: string | null
  gateway_id: string | null
  token_id: string | null
  ip: string
  ip_region: string | null
  ip_city: string | null
  ip_lat: number | null
  ip_lon: number | null
  user_agent: string | null
}

/** Source of a request (P8). */
export type Origin = Pick<Subject, 'ip' | 'ip_region' | 'ip_city' | 'ip_lat' | 'ip_lon' | 'user_agent'>

export const anonymousSubject = (origin: Origin): Subject => ({
  actor_id: null,
  actor_name: null,
  actor_type: null,
  actor_email: null,
  auth_provider_id: null,
  device_id: null,
  gateway_id: null,
  token_id: null,
  ...origin,
})
