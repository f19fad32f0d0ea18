import type { TemplateContract } from './contract.ts'

const text = (value: unknown): string => JSON.stringify(value) ?? 'nothing'

function ofKept(place: string, before: TemplateContract['stacks'][string], now: TemplateContract['stacks'][string]) {
  return Object.entries(before.kept).flatMap(([id, was]) => {
    const is = now.kept[id]
    if (!is) return [`${place} no longer has ${id} (${was.type}): it would be deleted or lost from sight.`]
    if (is.type !== was.type) return [`${id} in ${place} was a ${was.type} and is a ${is.type}.`]
    const names = [...new Set([...Object.keys(was.properties), ...Object.keys(is.properties)])]
    const replaced = names
      .filter((name) => text(was.properties[name]) !== text(is.properties[name]))
      .map(
        (name) => `${name} of ${id} in ${place} was ${text(was.properties[name])}: what it holds would be made anew.`,
      )
    const exposed = (['deletion', 'replacement'] as const)
      .filter((policy) => was[policy] !== 'Delete' && is[policy] === 'Delete')
      .map((policy) => `${id} in ${place} no longer survives its ${policy}.`)
    return [...replaced, ...exposed]
  })
}

/** What the templates of now would break in a deployment of before, a sentence each. What is new breaks nothing. */
export function breaches(before: TemplateContract, now: TemplateContract): string[] {
  const stacks = Object.entries(before.stacks).flatMap(([place, was]) => {
    const is = now.stacks[place]
    if (!is) return [`The stack ${place} is gone.`]
    const outputs = was.outputs.filter((name) => !is.outputs.includes(name))
    return [...ofKept(place, was, is), ...outputs.map((name) => `${place} no longer has the output ${name}.`)]
  })
  const unprotected = before.terminationProtection
    .filter((name) => !now.terminationProtection.includes(name))
    .map((name) => `${name} is no longer protected against deletion.`)
  const routes = Object.entries(before.routes).flatMap(([key, was]) => {
    const is = now.routes[key]
    if (is === was) return []
    return [is === undefined ? `The route ${key} is gone.` : `The route ${key} leads to ${is}, no longer to ${was}.`]
  })
  return [...stacks, ...unprotected, ...routes]
}
