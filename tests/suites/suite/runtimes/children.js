// Children of node by every way of child_process.
const { spawn, spawnSync, execSync, fork } = require('child_process');

if (process.argv[2] === 'child') {
    process.on('message', () => process.send({ pid: process.pid, ppid: process.ppid }, () => process.disconnect()));
    return;
}
console.log('sync:', Number(execSync('echo $PPID').toString()) === process.pid);
console.log('status:', spawnSync('sh', ['-c', 'exit 7']).status);
console.log('signal:', spawnSync('sh', ['-c', 'kill -9 $$']).signal);
console.log('timeout:', spawnSync('sleep', ['60'], { timeout: 200 }).signal);
const child = fork(__filename, ['child']);
child.on('message', (m) => console.log('fork:', m.pid === child.pid, m.ppid === process.pid));
child.send('go');
child.on('exit', (code) => {
    console.log('exit:', code);
    const sleeper = spawn('sleep', ['60'], { detached: true });
    process.kill(-sleeper.pid, 'SIGTERM');
    sleeper.on('exit', (status, signal) => {
        console.log('group:', status, signal);
        try {
            process.kill(sleeper.pid, 0);
        } catch (e) {
            console.log('gone:', e.code);
        }
        process.on('SIGUSR2', () => {
            console.log('own signal');
            many();
        });
        process.kill(process.pid, 'SIGUSR2');
    });
});

function many() {
    let left = 50, good = 0;
    for (let i = 0; i < 50; i++)
        spawn('sh', ['-c', `exit ${i % 5}`]).on('exit', (code) => {
            good += code === i % 5;
            if (--left === 0) {
                console.log('many:', good);
                process.exit(0);
            }
        });
}
