// Workers that share a port; one is killed by number and replaced.
const cluster = require('cluster');
const http = require('http');

if (!cluster.isPrimary) {
    http.createServer((_, answer) => answer.end(String(process.pid))).listen(8123, '127.0.0.1');
    return;
}
cluster.fork();
cluster.fork();
let listening = 0, killed = 0;
cluster.on('listening', () => {
    listening++;
    if (listening === 2) ask();
    if (listening === 3) setTimeout(stop, 100);
});
cluster.on('exit', (worker, code, signal) => {
    console.log('worker ended:', code, signal);
    if (killed++ === 0) cluster.fork();
    if (killed === 3) process.exit(0);
});

function ask() {
    http.get({ host: '127.0.0.1', port: 8123, agent: false }, (answer) => {
        let text = '';
        answer.on('data', (d) => (text += d));
        answer.on('end', () => {
            const pids = Object.values(cluster.workers).map((w) => w.process.pid);
            console.log('answered by a worker:', pids.includes(Number(text)));
            process.kill(Number(text), 'SIGKILL');
        });
    });
}

function stop() {
    for (const worker of Object.values(cluster.workers)) worker.process.kill('SIGTERM');
}
