type Position = { lat: number | null; lon: number | null }

export type Candidate = Position & { id: string; version: string | null; hasAuthorization: boolean }

function parseVersion(version: string | null): number[] | null {
  return version !== null && /^\d{1,9}\.\d{1,9}(\.\d{1,9})?$/.test(version) ? version.split('.').map(Number) : null
}

/** True if the major versions are equal and the minor versions differ by at most one (P5.4). An invalid client version passes. */
export function areCompatible(clientVersion: string | null, gatewayVersion: string | null): boolean {
  const client = parseVersion(clientVersion)
  if (!client) return true
  const gateway = parseVersion(gatewayVersion)
  return gateway !== null && client[0] === gateway[0] && Math.abs((client[1] ?? 0) - (gateway[1] ?? 0)) <= 1
}

const radians = (degrees: number): number => (degrees * Math.PI) / 180

/** Great-circle distance in units of the earth's radius (haversine). Infinite if a position is unknown. */
function distance(a: Position, b: Position): number {
  if (a.lat === null || a.lon === null || b.lat === null || b.lon === null) return Number.POSITIVE_INFINITY
  const [latA, latB] = [radians(a.lat), radians(b.lat)]
  const h =
    Math.sin((latB - latA) / 2) ** 2 + Math.cos(latA) * Math.cos(latB) * Math.sin(radians(b.lon - a.lon) / 2) ** 2
  return 2 * Math.asin(Math.min(1, Math.sqrt(h)))
}

function compareVersions(a: string | null, b: string | null): number {
  const [left, right] = [parseVersion(a) ?? [], parseVersion(b) ?? []]
  const at = [0, 1, 2].find((i) => (left[i] ?? 0) !== (right[i] ?? 0))
  return at === undefined ? 0 : (left[at] ?? 0) - (right[at] ?? 0)
}

/**
 * Chooses an online gateway. Prefers one with an authorization, then the nearest, then the newest version, and otherwise chooses at random
 * (P5.4).
 */
export function chooseGateway<C extends Candidate>(
  online: C[],
  client: Position & { version: string | null },
  random: () => number = Math.random,
): { gateway: C } | { reason: 'gateway_offline' | 'version_mismatch' } {
  if (online.length === 0) return { reason: 'gateway_offline' }
  const fitting = online.filter((gateway) => areCompatible(client.version, gateway.version))
  const [best] = fitting
    .map((gateway) => ({ gateway, remoteness: client.lat === null ? 0 : distance(client, gateway), chance: random() }))
    .sort(
      (a, b) =>
        Number(b.gateway.hasAuthorization) - Number(a.gateway.hasAuthorization) ||
        (a.remoteness === b.remoteness ? 0 : a.remoteness - b.remoteness) ||
        compareVersions(b.gateway.version, a.gateway.version) ||
        a.chance - b.chance,
    )
  return best ? { gateway: best.gateway } : { reason: 'version_mismatch' }
}
