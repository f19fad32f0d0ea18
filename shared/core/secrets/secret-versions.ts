/** One version of the service secret. */
export type SecretVersion = {
  name: string
  /** The instant from which on it is written with, in microseconds; 0 for what was always there. */
  from: number
  /** Null when it is retired: then only `keys` are left of it. */
  secret: string | null
  /** Of a retired version: the derived keys that what it has made needs for ever, by purpose. They lead back to no other key. */
  keys: Record<string, Buffer>
  /** Nothing that comes from outside is accepted by it; what is stored is read, so that it can be sealed again. */
  compromised: boolean
}

/** The version that a value without the name of one was made with: there were no versions then. */
export const firstVersion = '1'

/** The version that writes at an instant: the newest that has begun, else the oldest there is. */
export function writingAt(versions: SecretVersion[], now: number): SecretVersion | undefined {
  const usable = versions.filter(({ secret, compromised }) => secret !== null && !compromised)
  return usable.find(({ from }) => from <= now) ?? usable.at(-1)
}

/** The version that one secret as it is stands for. */
export const onlyVersion = (secret: string): SecretVersion => ({
  name: firstVersion,
  from: 0,
  secret,
  keys: {},
  compromised: false,
})

/** Whether a text is a list of versions; any other is one secret as it is, all there was before there were lists. */
export const isList = (text: string): boolean => text.trimStart().startsWith('[')

/** A text with the name of the version that made it; what the first version makes has none. */
export const nameVersion = (version: string, text: string): string =>
  version === firstVersion ? text : `${version}.${text}`

/** The version that a text names, and the text without it. No alphabet of what is named has a dot. */
export function namedVersion(text: string): { version: string; text: string } {
  const dot = text.indexOf('.')
  return dot < 0 ? { version: firstVersion, text } : { version: text.slice(0, dot), text: text.slice(dot + 1) }
}
