// A process that does nothing but load a function, as a cold start does; without one, what remains is what is measured by.
const [file] = process.argv.slice(2)
const start = process.cpuUsage()
if (file) await import(file)
const { user, system } = process.cpuUsage(start)
process.stdout.write(String((user + system) / 1_000))
