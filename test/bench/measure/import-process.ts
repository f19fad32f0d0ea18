// Process that only imports a function, like a cold start. Without a function, the process measures its own overhead.
const [file] = process.argv.slice(2)
const start = process.cpuUsage()
if (file) await import(file)
const { user, system } = process.cpuUsage(start)
process.stdout.write(String((user + system) / 1_000))
