import type { Key } from '../../table/keys.ts'

/** A value that is unique in the whole service; the item there names the account that holds it. */
export const serviceGuard = (name: 'slug' | 'key', value: string): Key => ({
  pk: `service#${name}#${value}`,
  sk: 'unique',
})
