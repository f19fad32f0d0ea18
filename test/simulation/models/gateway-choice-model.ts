import type { Client, Gateway } from './account-model.ts'

const readable = /^\d+\.\d+(\.\d+)?$/
const numbers = (version: string): number[] => (readable.test(version) ? version.split('.').map(Number) : [])

/** True if the major versions are equal and the minor versions differ by at most one (P5.4). */
function isCompatible(client: string, gateway: string): boolean {
  if (!readable.test(client)) return true
  if (!readable.test(gateway)) return false
  const [[major, minor = 0], [otherMajor, otherMinor = 0]] = [numbers(client), numbers(gateway)]
  return major === otherMajor && Math.abs(minor - otherMinor) < 2
}

const compareVersions = (a: string, b: string): number => {
  const [left, right] = [numbers(a), numbers(b)]
  for (const i of [0, 1, 2]) if ((left[i] ?? 0) !== (right[i] ?? 0)) return (left[i] ?? 0) - (right[i] ?? 0)
  return 0
}

type Position = { lat: number | null; lon: number | null } | null

/** Length of the chord between two positions, which orders them like the great-circle distance. */
function chord(a: Position, b: Position): number {
  if (a?.lat == null || a.lon == null || b?.lat == null || b.lon == null) return Number.POSITIVE_INFINITY
  const point = (lat: number, lon: number): [number, number, number] => {
    const [phi, lambda] = [(lat * Math.PI) / 180, (lon * Math.PI) / 180]
    return [Math.cos(phi) * Math.cos(lambda), Math.cos(phi) * Math.sin(lambda), Math.sin(phi)]
  }
  const [from, to] = [point(a.lat, a.lon), point(b.lat, b.lon)]
  return Math.hypot(...from.map((value, i) => value - (to[i] as number)))
}

/**
 * Returns the gateways from which the service may choose at random. Each preference of P5.4 filters the result of the previous preference.
 */
export function eligibleGateways(online: Gateway[], client: Client, isUsed: (gateway: Gateway) => boolean): Gateway[] {
  const clientVersion = client.session?.version ?? ''
  const versionOf = (gateway: Gateway) => gateway.session?.version ?? ''
  const compatible = online.filter((gateway) => isCompatible(clientVersion, versionOf(gateway)))
  const used = compatible.filter(isUsed)
  const preferred = used.length > 0 ? used : compatible
  const far = (gateway: Gateway) => (client.seen?.lat == null ? 0 : chord(client.seen, gateway.seen))
  const nearest = Math.min(...preferred.map(far))
  const near = preferred.filter((gateway) => far(gateway) === nearest || far(gateway) - nearest < 1e-9)
  return near.filter((one) => near.every((other) => compareVersions(versionOf(one), versionOf(other)) >= 0))
}
