import java.util.concurrent.TimeUnit;

class Processes {
    public static void main(String[] arguments) throws Exception {
        ProcessHandle self = ProcessHandle.current();
        Process child = new ProcessBuilder("sh", "-c", "echo $PPID; sleep 60; :").start();
        String parent = new java.io.BufferedReader(new java.io.InputStreamReader(child.getInputStream())).readLine();
        System.out.println("parent: " + (Long.parseLong(parent) == self.pid()));
        System.out.println("alive: " + child.isAlive() + " " + child.toHandle().isAlive());
        System.out.println("its parent: " + child.toHandle().parent().map(p -> p.pid() == self.pid()));
        System.out.println("children: " + self.children().count());
        Thread.sleep(300);
        System.out.println("descendants: " + self.descendants().count());
        System.out.println("command: " + child.info().command().orElse("none"));
        System.out.println("is listed: " + ProcessHandle.allProcesses().anyMatch(p -> p.pid() == child.pid()));
        System.out.println("of: " + ProcessHandle.of(child.pid()).isPresent());
        System.out.println("nobody: " + ProcessHandle.of(99999).isPresent());
        child.descendants().forEach(ProcessHandle::destroy);
        System.out.println("ended: " + child.waitFor(10, TimeUnit.SECONDS));
        Process killed = new ProcessBuilder("sleep", "60").start();
        killed.destroyForcibly();
        System.out.println("killed: " + killed.waitFor());
        System.out.println("on exit: " + killed.toHandle().onExit().get(10, TimeUnit.SECONDS).isAlive());
        int good = 0;
        for (int i = 0; i < 40; i++)
            if (new ProcessBuilder("sh", "-c", "exit " + i % 5).start().waitFor() == i % 5) good++;
        System.out.println("good: " + good);
    }
}
